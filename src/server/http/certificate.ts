import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls'
import type { Logger } from 'pino'
import { OperatorError } from '../../model/errors.ts'

/** The files with a server's certificate and its private key, as PEM. */
export interface CertificateFiles {
  /** Followed by the intermediate certificates. */
  readonly certFile: string
  readonly keyFile: string
}

/** How often renewal is checked. By polling instead of events, which miss links and moves. */
const LOOK_MS = 2000

export function certificateFilesOf(
  certFile: string | undefined,
  keyFile: string | undefined,
): CertificateFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile }
}

/** @throws OperatorError saying what is wrong when they cannot be used. */
export function readCertificate({ certFile, keyFile }: CertificateFiles): SecureContextOptions {
  try {
    const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
    createSecureContext(pair)
    return pair
  } catch (error) {
    const { message } = error as Error
    throw new OperatorError(`The certificate ${certFile} with the key ${keyFile} cannot be used: ${message}.`)
  }
}

/** Reports each renewed certificate; one that cannot be used is logged. @returns a function that stops it */
export function followRenewals(
  files: CertificateFiles,
  log: Logger,
  use: (renewed: SecureContextOptions) => void,
  lookMs = LOOK_MS,
): () => void {
  const renew = () => {
    try {
      use(readCertificate(files))
      log.info({ certificate: files.certFile }, 'the certificate was renewed')
    } catch (error) {
      log.warn({ err: error }, 'a changed certificate is not used')
    }
  }
  const paths = [files.certFile, files.keyFile]
  for (const path of paths) watchFile(path, { interval: lookMs, persistent: false }, renew)
  return () => {
    for (const path of paths) unwatchFile(path, renew)
  }
}

/** Makes a server use renewed certificates until it is closed; open connections keep theirs. */
export function followCertificate(server: Server, files: CertificateFiles, log: Logger, lookMs = LOOK_MS): void {
  const stop = followRenewals(files, log, renewed => server.setSecureContext(renewed), lookMs)
  server.once('close', stop)
}
