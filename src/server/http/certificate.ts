import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls'
import type { Logger } from 'pino'
import { OperatorError } from '../../model/errors.ts'

/** Where the certificate of a server and its private key lie, as PEM. */
export interface CertificateFiles {
  /** With the certificates between it and the authority behind it. */
  readonly certFile: string
  readonly keyFile: string
}

/** How often it is looked whether they were renewed. By their state and not by events: those miss links and moves. */
const LOOK_MS = 2000

/** What `settings` name, when they name a certificate at all. */
export function certificateFilesOf(
  certFile: string | undefined,
  keyFile: string | undefined,
): CertificateFiles | undefined {
  return certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile }
}

/** @throws OperatorError saying what is wrong when they can not be used. */
export function readCertificate({ certFile, keyFile }: CertificateFiles): SecureContextOptions {
  try {
    const pair = { cert: readFileSync(certFile), key: readFileSync(keyFile) }
    createSecureContext(pair)
    return pair
  } catch (error) {
    const { message } = error as Error
    throw new OperatorError(`The certificate ${certFile} with the key ${keyFile} can not be used: ${message}.`)
  }
}

/**
 * Tells of each renewed certificate. What can not be used, such as a certificate whose key is not written yet, is logged,
 * and the former one stays in use.
 * @returns what stops it
 */
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

/** Lets a server go on with renewed certificates until it is closed; connections that are open stay as they are. */
export function followCertificate(server: Server, files: CertificateFiles, log: Logger, lookMs = LOOK_MS): void {
  const stop = followRenewals(files, log, renewed => server.setSecureContext(renewed), lookMs)
  server.once('close', stop)
}
