import type { FastifyInstance } from 'fastify'

/** `/healthz`: the process answers. `/readyz`: its dependencies answer, too. */
export function healthRoutes(server: FastifyInstance, { ready }: { readonly ready: () => Promise<void> }): void {
  const options = { config: { access: 'public', quiet: true } } as const
  server.get('/healthz', options, () => ({ status: 'ok' }))
  server.get('/readyz', options, async () => {
    await ready()
    return { status: 'ready' }
  })
}
