//! Through the public interface: source.
