"""What the pages share: cached loaders, the selection in the URL, pictures and cards."""
