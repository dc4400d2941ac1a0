//! Through the public interface: landscape.
