"""One file a page, thin: widgets, then gfx_core, then pictures."""
