"""Between the wire and the domain: the only modules that speak both, and where what is missing is refused."""
