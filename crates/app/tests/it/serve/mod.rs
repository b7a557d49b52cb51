//! The search page as a browser, a program and a flood meet it: the binary on loopback, asked over
//! plain sockets.
mod access;
mod answers;
mod api;
mod dashboard;
mod described;
mod grafana;
mod limits;
mod log;
mod served;
