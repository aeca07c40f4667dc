import { invalidRequest } from './token-error.ts'

/**
 * Reads the text fields of a multipart/form-data body (RFC 7578) that is already in memory, so that the usual body limit
 * applies; streaming parsers read past it.
 * @throws ClientError 400 when it is truncated, has no boundary, or contains a file.
 */
export function multipartFields(body: Buffer, contentType: string): [name: string, value: string][] {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]+)"|([^\s;"]+))/i.exec(contentType) ?? []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw invalidRequest('The content type multipart/form-data must name its boundary.')
  // One character per byte, so that nothing is lost before the bytes of a field are decoded.
  const [, ...parts] = `\r\n${body.toString('latin1')}`.split(`\r\n--${boundary}`)
  const end = parts.findIndex(part => part.startsWith('--'))
  if (end === -1) throw invalidRequest('The multipart body is cut off: its closing boundary is missing.')
  return parts.slice(0, end).map(readPart)
}

function readPart(part: string): [name: string, value: string] {
  // RFC 2046, 5.1.1: blanks may follow the boundary on its line.
  const [, headers = '', value = ''] = /^[ \t]*\r\n((?:[^\r\n]+\r\n)*)\r\n([^]*)$/.exec(part) ?? []
  // A line that starts with a blank goes on with the header before it.
  const lines = headers.replaceAll(/\r\n[ \t]/g, ' ').split('\r\n')
  const disposition = lines.flatMap(line => DISPOSITION.exec(line)?.[1] ?? [])[0]
  const name = disposition === undefined ? undefined : parameterOf(disposition, NAME)
  if (disposition === undefined || name === undefined)
    throw invalidRequest('Each part of the multipart body must have a Content-Disposition with a name.')
  if (parameterOf(disposition, FILE_NAME) !== undefined)
    throw invalidRequest(`${fieldOf(name)} must be text, not a file.`)
  return [name, Buffer.from(value, 'latin1').toString('utf8')]
}

const DISPOSITION = /^content-disposition:[ \t]*form-data(.*)$/i
const NAME = /;\s*name=(?:"([^"]*)"|([^\s;"]+))/i
const FILE_NAME = /;\s*filename=(?:"([^"]*)"|([^\s;"]+))/i

/** Some clients (.NET) write names without quotes. */
function parameterOf(disposition: string, parameter: RegExp): string | undefined {
  const [, quoted, plain] = parameter.exec(disposition) ?? []
  return quoted ?? plain
}

/** Repeats a name in an error message only if it could be one of ours; otherwise it may be anything. */
function fieldOf(name: string): string {
  return /^[a-z_]{1,20}$/.test(name) ? name : 'Each field'
}
