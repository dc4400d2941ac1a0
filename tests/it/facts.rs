//! Through the public interface: facts.
