//! Through the public interface: import.
