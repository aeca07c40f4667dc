import { CATALOGUE } from './catalogue.ts'
import { DECISIONS_FLEET } from './decisions-fleet.ts'
import { DECISIONS_REPLIES } from './decisions-replies.ts'
import { DECISIONS_REQUESTS } from './decisions-requests.ts'
import { ENDPOINTS } from './endpoints.ts'
import { OBJECTS } from './objects.ts'
import { SERVICE } from './service.ts'
import type { Statement } from './statement.ts'

/** Every statement of the contract and of the decisions. */
export const STATEMENTS: readonly Statement[] = [
  ...SERVICE,
  ...OBJECTS,
  ...ENDPOINTS,
  ...CATALOGUE,
  ...DECISIONS_REQUESTS,
  ...DECISIONS_REPLIES,
  ...DECISIONS_FLEET,
]
