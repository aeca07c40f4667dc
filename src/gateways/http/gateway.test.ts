import { ingestEventsOf } from '../../../lab/bench/made-samples.ts'
import { testGateway } from '../../../test/gateway-suite.ts'

testGateway({
  name: 'HTTP ingest',
  misdated: 'refused',
  stranger: 'refused',
  async connect(service) {
    const token = await service.key('fleet')
    return {
      async send(samples, withinMs) {
        const reply = await fetch(`${service.intakeUrl}/ingest/events`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          body: JSON.stringify(samples.flatMap(ingestEventsOf)),
          signal: AbortSignal.timeout(withinMs),
        }).catch(() => undefined)
        if (!reply || reply.status >= 500) return 'unanswered'
        return reply.ok ? 'acknowledged' : 'refused'
      },
      close: async () => undefined,
    }
  },
})
