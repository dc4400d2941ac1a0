//! Window, event loop, camera, playback clock, panels, settings; the same path without a window.
