import { languageHere } from '../language/language.ts'
import { accessToken, tokenAfter } from '../session/session.ts'
import { ApiError, apiErrorOf } from './api-error.ts'
import type { Operations } from './schema.ts'

type Name = keyof Operations
type Part<N extends Name, K extends string> = K extends keyof Operations[N] ? Operations[N][K] : undefined

/** What a request of an operation is made of; `path` fills the braces of its address. */
interface Input<N extends Name> {
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: Part<N, 'query'>
  readonly body?: Part<N, 'body'>
  readonly signal?: AbortSignal | undefined
}

type Reply<N extends Name> = Operations[N]['reply']

/** Calls one operation of the published API. @throws {ApiError} */
export async function ask<N extends Name>(name: N, input: Input<N> = {}): Promise<Reply<N>> {
  const [method = 'GET', template = '/'] = name.split(' ')
  const response = await send(method, addressOf(template, input), input)
  return (response.status === 204 ? undefined : await response.json()) as Reply<N>
}

/** A list that may be cut, with where the rest is (`Link`, decisions.md, *Replies*), and how many match if `count` is asked for. @throws {ApiError} */
export async function askPage<N extends Name>(
  name: N,
  input: Input<N> & { readonly next?: string | undefined } = {},
): Promise<{ readonly reply: Reply<N>; readonly next: string | undefined; readonly total: number | undefined }> {
  const [method = 'GET', template = '/'] = name.split(' ')
  const response = await send(method, input.next ?? addressOf(template, input), input)
  const total = response.headers.get('x-total-count')
  return {
    reply: (await response.json()) as Reply<N>,
    next: nextPage(response.headers.get('link')),
    total: total === null ? undefined : Number(total),
  }
}

/** More than anybody reads at once; the service has no larger page. */
const PAGE_SIZE = 10_000

/** Everything that a list has, page by page. @param itemsOf where it is in a reply @throws {ApiError} */
export async function askAll<N extends Name, T>(
  name: N,
  input: Input<N>,
  itemsOf: (reply: Reply<N>) => readonly T[],
): Promise<readonly T[]> {
  const query = { ...input.query, maxResults: PAGE_SIZE } as Part<N, 'query'>
  const items: T[] = []
  let next: string | undefined
  do {
    const page = await askPage(name, { ...input, query, next })
    for (const item of itemsOf(page.reply)) items.push(item)
    next = page.next
  } while (next !== undefined)
  return items
}

/** One request with the session's token, in the person's language; a token that ended early is renewed once. */
export async function send(method: string, address: string, input: RequestInput = {}): Promise<Response> {
  const token = await accessToken()
  const first = await fetchWith(token, method, address, input)
  const response = first.status === 401 ? await fetchWith(await tokenAfter(token), method, address, input) : first
  if (!response.ok) throw await apiErrorOf(response)
  return response
}

interface RequestInput {
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly headers?: Readonly<Record<string, string>>
}

async function fetchWith(token: string, method: string, address: string, input: RequestInput): Promise<Response> {
  const { body, signal, headers } = input
  try {
    return await fetch(address, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'accept-language': languageHere(),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'The service cannot be reached.')
  }
}

interface Address {
  readonly path?: Readonly<Record<string, string | number>>
  readonly query?: unknown
}

function addressOf(template: string, { path = {}, query }: Address): string {
  const address = template.replace(/\{(\w+)\}/g, (_match, name: string) => encodeURIComponent(String(path[name])))
  const given = Object.entries((query ?? {}) as Record<string, string | number | boolean | undefined>).flatMap(
    ([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]),
  )
  return given.length === 0 ? address : `${address}?${new URLSearchParams(given)}`
}

function nextPage(link: string | null): string | undefined {
  const target = /<([^<>]*)>;\s*rel="next"/.exec(link ?? '')?.[1]
  if (target === undefined) return undefined
  const { pathname, search } = new URL(target, window.location.href)
  return pathname + search
}
