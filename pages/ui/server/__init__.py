"""The server around the pages: who may reach it, and what it tells browsers about itself."""
