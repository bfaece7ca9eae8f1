"""The static site: what people meet before they install anything. It needs no server and fetches nothing."""
