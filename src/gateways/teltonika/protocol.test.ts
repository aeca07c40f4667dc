import { testBinaryProtocol } from '../../../test/binary-suite/suite.ts'
import { TELTONIKA_CLIENT } from '../../../test/teltonika-client.ts'

testBinaryProtocol(TELTONIKA_CLIENT, ({ teltonikaPort }) => teltonikaPort)
