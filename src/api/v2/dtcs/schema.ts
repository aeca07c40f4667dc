import { type Static, Type } from 'typebox'
import { timedListQuery } from '../../lists.ts'
import { deviceId, instant, nullable, revision, syncList } from '../../schemas.ts'

/** A diagnostic trouble code (fleet-api-v2.md, *DTC*). */
export const Dtc = Type.Object(
  {
    id: Type.String({ description: 'Identifier of the fault code.', examples: ['99'] }),
    vehicleId: Type.String({ examples: ['VINWVWZZZ1KZAW000001'] }),
    deviceId,
    ecuTypeId: Type.Integer({
      format: 'int32',
      description: 'Electronic control unit; 0 when it is not known.',
      examples: [1],
    }),
    ecuType: Type.String({ description: 'Name of the control unit; empty when not known.', examples: ['Engine'] }),
    code: Type.String({ description: 'The trouble code.', examples: ['P0301'] }),
    encoded: Type.String({
      description: 'The code as the device reported it, in upper case; a failure type of ISO 14229-1 follows the code.',
      examples: ['0301'],
    }),
    encoding: Type.Enum(['HEX', 'DECIMAL', 'PCODE'], { description: 'The form in which the device reported it.' }),
    label: Type.String({
      description:
        "What the code means: the operator's own text, the built-in one, or for codes without any the part of the car.",
      examples: ['Misfire cylinder 1 detected'],
    }),
    dtcType: Type.Enum(['PERMANENT', 'SPORADIC', 'FREEZEFRAME'], {
      description: 'The list that the code was in; FREEZEFRAME: measurements of the moment of the fault are stored.',
    }),
    recordedTimestamp: instant('When the code was first in a list of the device.'),
    deleteTimestamp: nullable(instant('The first list without the code; null while it is current.')),
    modifyTimestamp: revision('When anything of it last changed.'),
  },
  { title: 'Dtc', description: 'A diagnostic trouble code.' },
)
export type Dtc = Static<typeof Dtc>

export const DtcList = syncList('dtcs', Dtc, 'DtcList')

export const DtcListQuery = timedListQuery({
  begin: 'recordedTimestamp',
  deviceId: 'Only codes that this device reported.',
  vehicleId: 'Only codes of this vehicle.',
  includeDeleted: 'Also list codes that are no longer reported',
})
