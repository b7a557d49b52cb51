//! Certificates of servers in tests, which sign themselves. The tests of the command line use this file, too.
use std::sync::Arc;

use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer},
};

/// When a certificate is valid.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Validity {
    Now,
    Over,
    NotYet,
}

/// What a TLS server needs that speaks one protocol under a name, and its own certificate in PEM.
pub(crate) fn self_signed(name: &str, protocol: &str) -> (ServerConfig, String) {
    certified(name, protocol, Validity::Now)
}

/// As [`self_signed`], with a certificate that may not be valid now.
pub(crate) fn certified(name: &str, protocol: &str, validity: Validity) -> (ServerConfig, String) {
    let mut about = rcgen::CertificateParams::new(vec![name.to_owned()]).unwrap();
    // Else all would have the same subject, and one could be taken for the issuer of another.
    about.distinguished_name.push(rcgen::DnType::CommonName, name);
    match validity {
        Validity::Now => {}
        Validity::Over => about.not_after = rcgen::date_time_ymd(2020, 1, 1),
        Validity::NotYet => about.not_before = rcgen::date_time_ymd(4000, 1, 1),
    }
    let key = rcgen::KeyPair::generate().unwrap();
    let own = about.self_signed(&key).unwrap();
    let chain: Vec<CertificateDer<'static>> = vec![own.der().clone()];
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    (config, own.pem())
}
