import { fileURLToPath } from 'node:url'
import type { CertificateFiles } from '../src/server/http/certificate.ts'

/** A self-signed certificate of that name for 127.0.0.1 and localhost, valid for a hundred years. */
export function tlsFixture(name: 'former' | 'renewed'): CertificateFiles {
  const file = (end: string) => fileURLToPath(new URL(`fixtures/tls/${name}${end}`, import.meta.url))
  return { certFile: file('.pem'), keyFile: file('-key.pem') }
}
