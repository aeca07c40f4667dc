import { setTimeout as sleep } from 'node:timers/promises'
import { OperatorError } from '../../src/model/errors.ts'
import { retryAfterMs } from '../upload/ingest-client.ts'

export type Reader = { readonly key: string } | { readonly email: string; readonly password: string }

const ATTEMPTS = 6
const PAUSE_MS = 500
const LIMITED_PAUSE_MS = 1000
const PAGE_ITEMS = 10_000

export class ApiReader {
  readonly #baseUrl: string
  readonly #token: string

  private constructor(baseUrl: string, token: string) {
    this.#baseUrl = baseUrl
    this.#token = token
  }

  static async open(address: string, reader: Reader): Promise<ApiReader> {
    const baseUrl = address.replace(/(?<!\/)\/+$/, '')
    if (!URL.canParse(`${baseUrl}/cc`))
      throw new OperatorError('--url must be an address such as http://127.0.0.1:8080.')
    return new ApiReader(baseUrl, 'key' in reader ? reader.key : await tokenFor(baseUrl, reader))
  }

  /** Every item of a list. @throws OperatorError when the service refuses, or does not answer again and again. */
  async *list<T>(
    path: string,
    parameters: Readonly<Record<string, string>>,
    listOf: (page: unknown) => readonly T[],
  ): AsyncGenerator<T> {
    const query = new URLSearchParams({ ...parameters, maxResults: String(PAGE_ITEMS) })
    let url: string | undefined = `${this.#baseUrl}/cc/v2.0${path}?${query.toString()}`
    while (url) {
      const response: Response = await this.#ask(url, {})
      yield* listOf(await response.json())
      const next = /<([^<>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1]
      url = next && new URL(next, url).href
    }
  }

  async one(path: string): Promise<unknown> {
    return (await this.#ask(`${this.#baseUrl}/cc/v2.0${path}`, {})).json()
  }

  /** @throws OperatorError when the service refuses, with its reason, or does not answer. */
  async create(path: string, body: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' }
    const response = await this.#ask(`${this.#baseUrl}/cc/v2.0${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    })
    return response.json()
  }

  async #ask(url: string, init: Pick<RequestInit, 'method' | 'body'> & { headers?: object }): Promise<Response> {
    for (let attempt = 1; ; attempt++) {
      const headers = { ...init.headers, authorization: `Bearer ${this.#token}`, 'accept-language': 'en' }
      const answer = await ask(url, { ...init, headers })
      if (answer instanceof Response && answer.ok) return answer
      const status = answer instanceof Response ? answer.status : undefined
      if (status === 401) throw new OperatorError('The service does not know this key or login (401).')
      if (status === 403)
        throw new OperatorError(
          `This key may not ${init.method === 'POST' ? 'change' : 'read'} ${new URL(url).pathname} (403).`,
        )
      if (status === 404) throw new OperatorError(`There is no Tacho at this address (404): ${this.#baseUrl}`)
      const isLimited = status === 429
      // Whether what should be created was, is not known then.
      const mayPass = isLimited || (init.method !== 'POST' && (status === undefined || status >= 500))
      if (!mayPass || (!isLimited && attempt >= ATTEMPTS))
        throw new OperatorError(
          init.method === 'POST' && answer instanceof Response
            ? `${new URL(url).pathname}: ${reasonOf(answer)}: ${await answer.text()}`
            : `${this.#baseUrl}: ${reasonOf(answer)}.`,
        )
      const header = answer instanceof Response ? answer.headers.get('retry-after') : null
      await sleep(Math.max(retryAfterMs(header, Date.now()), isLimited ? LIMITED_PAUSE_MS : PAUSE_MS * attempt))
    }
  }
}

async function ask(url: string, init: RequestInit): Promise<Response | string> {
  try {
    return await fetch(url, init)
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return cause instanceof Error ? ((cause as NodeJS.ErrnoException).code ?? cause.message) : String(cause)
  }
}

function reasonOf(answer: Response | string): string {
  return typeof answer === 'string' ? `it cannot be reached (${answer})` : `it answers ${answer.status}`
}

async function tokenFor(
  baseUrl: string,
  { email, password }: { readonly email: string; readonly password: string },
): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'password', username: email, password })
  const response = await ask(`${baseUrl}/auth/token`, { method: 'POST', body })
  if (!(response instanceof Response)) throw new OperatorError(`${baseUrl}: ${reasonOf(response)}.`)
  const { access_token: token } = Object(await response.json().catch(() => undefined)) as { access_token?: unknown }
  if (typeof token === 'string') return token
  throw new OperatorError(`${baseUrl} does not let ${email} in (${response.status}).`)
}
