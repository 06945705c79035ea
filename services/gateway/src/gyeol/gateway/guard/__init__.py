"""What stands before every request: host names, pages of other sites, sizes, rates, security headers."""
