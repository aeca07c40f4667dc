import { describe } from 'vitest'
import type { TestService } from '../service.ts'
import type { ProtocolClient } from './client.ts'
import { testConnections } from './connections.ts'
import { testDatagrams } from './datagrams.ts'
import { testFaults } from './faults.ts'
import { testLimits } from './limits.ts'
import { testOperatorsView } from './operators-view.ts'
import { testOverQuota } from './over-quota.ts'
import { testPackets } from './packets.ts'
import { testTls } from './tls.ts'
import { testUplinks } from './uplinks.ts'
import { type SharedDatabase, sharedDatabase } from './world.ts'

type Parts = Readonly<Record<string, (client: ProtocolClient, database: SharedDatabase) => void>>

/** What depends on how a protocol tells its packets apart and what it answers. */
const FRAMING: Parts = {
  packets: testPackets,
  connections: testConnections,
  datagrams: testDatagrams,
  limits: testLimits,
  faults: testFaults,
  'what an operator sees': testOperatorsView,
}

/** What is the same around every protocol. */
const AROUND: Parts = { quotas: testOverQuota, TLS: testTls }

function testParts(parts: Parts, client: ProtocolClient, database: SharedDatabase): void {
  for (const [part, test] of Object.entries(parts))
    describe(`${client.protocol.name}: ${part}`, () => {
      test(client, database)
    })
}

/** That what all protocols share fits this one: its packets, its answers, and what is no packet of it. */
export function testFraming(client: ProtocolClient): void {
  testParts(FRAMING, client, sharedDatabase())
}

/**
 * What every binary protocol must fulfil, over TCP and UDP: its dongles are received and acknowledged like all others,
 * and nobody can do harm through it. What garbage leaves in memory is tried in `memory-of-process.test.ts`.
 * @param portOf the port on which a service listens for it; undefined for a protocol that no service speaks, which then has a
 * gateway of its own beside the service
 */
export function testBinaryProtocol(client: ProtocolClient, portOf?: (service: TestService) => number): void {
  testParts({ ...FRAMING, ...AROUND }, client, sharedDatabase())
  testUplinks(client, portOf)
}
