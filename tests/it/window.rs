//! Through the public interface: window.
