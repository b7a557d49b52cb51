//! Encrypted connections, with certificates from files.
use std::{path::Path, sync::Arc};

use rustls::{
    ServerConfig,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use tokio_rustls::TlsAcceptor;

use crate::{failure::Failure, settings::TlsFiles};

/// Reads certificates and key.
pub(crate) fn acceptor(files: &TlsFiles) -> Result<TlsAcceptor, Failure> {
    let wrong = |flag: &str, path: &Path, why: &dyn std::fmt::Display| {
        Failure::Input(format!("{flag} {}: {why}", path.display()))
    };
    let chain: Result<Vec<CertificateDer<'static>>, _> =
        CertificateDer::pem_file_iter(&files.cert).and_then(Iterator::collect);
    let chain = chain.map_err(|error| wrong("--tls-cert", &files.cert, &error))?;
    if chain.is_empty() {
        return Err(wrong("--tls-cert", &files.cert, &"it has no certificate"));
    }
    let key = PrivateKeyDer::from_pem_file(&files.key)
        .map_err(|error| wrong("--tls-key", &files.key, &error))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::Internal(error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .map_err(|error| wrong("--tls-key", &files.key, &error))?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}
