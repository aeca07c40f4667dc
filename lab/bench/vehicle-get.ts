import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { type BenchResult, median } from './result.ts'
import type { RunningService } from './running-service.ts'
import { pairRatios } from './spread.ts'

const SECONDS = 3
const RUNS = 3
const CONNECTIONS = 10

/** GET /vehicles/{id} against a constant answer of the same size from the same server. */
export async function benchVehicle(service: RunningService): Promise<BenchResult> {
  const headers = { authorization: `Bearer ${service.key}` }
  const list = await fetch(`${service.url}/cc/v2.0/vehicles?maxResults=1`, { headers })
  const { vehicles: listed } = (await list.json()) as { vehicles: [{ id: string }] }
  const path = `/cc/v2.0/vehicles/${listed[0].id}`
  const bytes = Buffer.byteLength(await (await fetch(service.url + path, { headers })).text())
  const { child, url } = await startConstantServer(service, bytes)
  const perSecond = async (target: string) => {
    const { requests, non2xx } = await autocannon({
      url: url + target,
      headers,
      connections: CONNECTIONS,
      duration: SECONDS,
    })
    if (non2xx > 0) throw new Error(`${non2xx} answers of ${target} were not 200`)
    return requests.average
  }
  try {
    await perSecond(path)
    const constants: number[] = []
    const vehicles: number[] = []
    const cpuMs: number[] = []
    for (let run = 0; run < RUNS; run++) {
      constants.push(await perSecond('/constant'))
      const before = await service.cost()
      vehicles.push(await perSecond(path))
      const { cpuSeconds } = await service.cost()
      cpuMs.push(((cpuSeconds - before.cpuSeconds) * 1000) / ((vehicles.at(-1) ?? 0) * SECONDS))
    }
    const [vehicle, constant] = [median(vehicles), median(constants)]
    return {
      name: 'GET /vehicles/{id}',
      measured: `${Math.round(vehicle)} requests/s of ${bytes} B`,
      against: `a constant answer of that size ${Math.round(constant)} requests/s`,
      ratio: vehicle / constant,
      target: { atLeast: 0.25 },
      runs: pairRatios(vehicles, constants),
      figures: { requestsPerS: vehicle, cpuMsARequest: median(cpuMs) },
    }
  } finally {
    child.kill()
    await once(child, 'exit')
  }
}

async function startConstantServer(
  { databaseUrl }: RunningService,
  bytes: number,
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('constant-server.ts', import.meta.url))],
    {
      env: { ...process.env, DATABASE_URL: databaseUrl, CONSTANT_BYTES: String(bytes), RATE_LIMIT: '1000000000' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, url: `http://127.0.0.1:${port.toString().trim()}` }
}
