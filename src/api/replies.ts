import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'

export type Language = 'en' | 'de'

const TAGS = { en: 'en-US', de: 'de-DE' } as const satisfies Record<Language, string>
const LANGUAGES: readonly Language[] = ['en', 'de']
const DEFAULT_LANGUAGE: Language = 'en'

/** From `Accept-Language` (RFC 9110, 12.5.4); without a usable language, or for `*`, the default; never an error. */
export function languageOf(header: string | undefined): Language {
  const ranges = (header ?? '').split(',').map(part => {
    const [tag = '', ...parameters] = part.split(';').map(piece => piece.trim().toLowerCase())
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    return { tag, weight: weight === undefined ? 1 : Number(weight) }
  })
  const isAmong = (language: Language, some: typeof ranges) =>
    some.some(({ tag }) => [language, TAGS[language].toLowerCase()].includes(tag))
  const wanted = ranges
    .filter(({ weight }) => weight > 0 && weight <= 1)
    .sort((a, b) => b.weight - a.weight || Number(a.tag === '*') - Number(b.tag === '*'))
  for (const { tag } of wanted) {
    // A * stands for all languages that are not named (RFC 9110, 12.5.4). Java writes de_DE.
    const language = tag === '*' ? LANGUAGES.find(one => !isAmong(one, ranges)) : tag.split(/[-_]/)[0]
    if (language === 'en' || language === 'de') return language
  }
  const refused = ranges.filter(({ weight }) => weight === 0)
  return LANGUAGES.find(one => !isAmong(one, refused)) ?? DEFAULT_LANGUAGE
}

export function languageTag(language: Language): string {
  return TAGS[language]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The reply is one object: it gets an ETag, and 304 when the client has it already (RFC 9110, 13.1.2). */
    readonly etag?: boolean
  }
}

export function tagReplies(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (!request.routeOptions.config.etag || reply.statusCode !== 200) return payload
    if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload
    const tag = `"${createHash('sha1').update(payload).digest('base64url')}"`
    reply.header('etag', tag)
    const known = (request.headers['if-none-match'] ?? '').split(',').map(item => item.trim().replace(/^W\//, ''))
    if (!known.includes(tag) && !known.includes('*')) return payload
    reply.code(304)
    return null
  })
}

export const RESTORED_HEADER = 'Tacho-Restored'

/** After a restore everything is sent again; what a client holds with an older revision no longer exists (ADR 0031). */
export function restoreNotice(database: Database): (reply: FastifyReply, since: string | undefined) => Promise<void> {
  // It cannot change while the service runs.
  let restored: Promise<string | undefined> | undefined
  const read = async () => {
    const [row] = await database.rows<{ restored: string | null }>(sql`select max(restored) as restored from restores`)
    return row?.restored ?? undefined
  }
  return async (reply, since) => {
    if (since === undefined) return
    restored ??= read()
    const revision = await restored.catch(() => {
      restored = undefined
    })
    if (revision !== undefined && since < revision) void reply.header(RESTORED_HEADER.toLowerCase(), revision)
  }
}

/** The same for every list of a scope that is asked with `filterTimestamp`. */
export function noticeRestores(scope: FastifyInstance, database: Database): void {
  const notice = restoreNotice(database)
  scope.addHook('onSend', async ({ query }, reply) => {
    const isObject = typeof query === 'object' && query !== null
    if (isObject && 'filterTimestamp' in query && typeof query.filterTimestamp === 'string')
      await notice(reply, query.filterTimestamp)
  })
}
