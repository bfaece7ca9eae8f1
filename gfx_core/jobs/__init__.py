"""What pages have computed by the crew."""
