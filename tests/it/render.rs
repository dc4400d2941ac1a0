//! Through the public interface: render.
