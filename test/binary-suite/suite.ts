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

const PARTS: Readonly<Record<string, (client: ProtocolClient) => void>> = {
  packets: testPackets,
  connections: testConnections,
  datagrams: testDatagrams,
  limits: testLimits,
  faults: testFaults,
  'what an operator sees': testOperatorsView,
  quotas: testOverQuota,
  TLS: testTls,
}

/**
 * What every binary protocol must fulfil, over TCP and UDP: its dongles are received and acknowledged like all others,
 * and nobody can do harm through it.
 * @param portOf the port on which a service listens for it; undefined for a protocol that no service speaks, which then has a
 * gateway of its own beside the service
 */
export function testBinaryProtocol(client: ProtocolClient, portOf?: (service: TestService) => number): void {
  for (const [part, test] of Object.entries(PARTS))
    describe(`${client.protocol.name}: ${part}`, () => {
      test(client)
    })
  testUplinks(client, portOf)
}
