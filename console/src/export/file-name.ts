const LONGEST = 120

/** A name that every file system takes, of parts such as a plate and a date; empty parts are left out. */
export function fileNameOf(parts: readonly string[], extension: string): string {
  const words = parts.map(part =>
    part.replaceAll(/[^\p{Letter}\p{Number}.-]+/gu, '-').replaceAll(/^[-.]+|(?<![-.])[-.]+$/g, ''),
  )
  return `${words.filter(Boolean).join('_').slice(0, LONGEST) || 'export'}.${extension}`
}
