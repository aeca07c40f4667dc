import { Badge, Text } from '@mantine/core'
import { IconPlug, IconPlugX, IconQuestionMark } from '@tabler/icons-react'
import { type Contact, isConnected, known, type Plug } from '../fleet/dongle-state.ts'
import { heardText } from '../fleet/state-words.ts'
import { type Language, type Texts, textsIn } from '../language/language.ts'
import { PageLink } from '../shell/page-link.tsx'
import type { Column } from '../table/column.ts'
import type { DeviceRow } from './device-row.ts'

/** What the list of dongles says of each. */
export function deviceColumns(texts: Texts<'device'>, language: Language, nowMs: number): readonly Column<DeviceRow>[] {
  const states = textsIn('carState', language)
  return [
    { id: 'imei', title: texts.imei, cell: row => row.id, order: row => row.id },
    {
      id: 'status',
      title: texts.status,
      order: row => CONTACTS.indexOf(row.state.contact.kind),
      cell: ({ state: { contact } }) => (
        <Badge
          color={isConnected(contact) ? 'teal' : contact.kind === 'silent' ? 'red' : 'gray'}
          variant={isConnected(contact) || contact.kind === 'asleep' ? 'light' : 'outline'}
          c="var(--mantine-color-text)"
          tt="none"
        >
          {states.contacts[contact.kind]}
        </Badge>
      ),
    },
    {
      id: 'plug',
      title: texts.plug,
      order: row => PLUGS.indexOf(row.state.plug),
      cell: ({ state: { plug } }) => {
        const Symbol = plug === 'in' ? IconPlug : plug === 'out' ? IconPlugX : IconQuestionMark
        return (
          <Text span fz="sm" c={PLUG_INKS[plug]} style={{ display: 'inline-flex', gap: 4 }}>
            <Symbol size={18} stroke={1.6} aria-hidden />
            {states.plugs[plug]}
          </Text>
        )
      },
    },
    {
      id: 'car',
      title: texts.car,
      order: row => known(row.car)?.name,
      cell: ({ car }) => {
        const value = known(car)
        if (value)
          return (
            <PageLink to="/cars/$vehicleId" params={{ vehicleId: value.id }} fz="sm">
              {value.name}
            </PageLink>
          )
        return (
          <Text span fz="sm" c="dimmed">
            {car.is === 'known' ? texts.noCar : car.is === 'forbidden' ? states.notVisible : states.awaited}
          </Text>
        )
      },
    },
    { id: 'firmware', title: texts.firmware, cell: row => row.firmware, order: row => row.firmware || undefined },
    { id: 'hardware', title: texts.hardware, cell: row => row.hardware, order: row => row.hardware || undefined },
    {
      id: 'heard',
      title: texts.heard,
      isNumeric: true,
      order: ({ state: { contact } }) =>
        isConnected(contact) ? nowMs : 'heardMs' in contact ? contact.heardMs : undefined,
      cell: ({ state: { contact } }) => heardText(contact, nowMs, language),
    },
  ]
}

/** In the order in which they are sorted. */
const CONTACTS: readonly Contact['kind'][] = ['never', 'unknown', 'silent', 'offline', 'asleep', 'catchingUp', 'online']
const PLUGS: readonly Plug[] = ['out', 'unknown', 'in']

const PLUG_INKS: Readonly<Record<Plug, string | undefined>> = {
  in: undefined,
  out: 'light-dark(var(--mantine-color-red-8), var(--mantine-color-red-4))',
  unknown: 'dimmed',
}
