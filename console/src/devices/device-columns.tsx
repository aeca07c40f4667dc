import { Badge, Text } from '@mantine/core'
import { IconPlug, IconPlugX } from '@tabler/icons-react'
import { formatAge } from '../language/format.ts'
import type { Language } from '../language/language.ts'
import { PageLink } from '../shell/page-link.tsx'
import type { Column } from '../table/column.ts'
import type { DeviceRow } from './device-row.ts'
import type { deviceTexts } from './texts.ts'

/** What the list of dongles says of each. */
export function deviceColumns(
  texts: (typeof deviceTexts)['en'],
  language: Language,
  nowMs: number,
): readonly Column<DeviceRow>[] {
  return [
    { id: 'imei', title: texts.imei, cell: row => row.id, order: row => row.id },
    {
      id: 'status',
      title: texts.status,
      order: row => Number(row.isOnline),
      cell: row => (
        <Badge color={row.isOnline ? 'teal' : 'gray'} variant="light" tt="none">
          {row.isOnline ? texts.online : texts.offline}
        </Badge>
      ),
    },
    {
      id: 'plug',
      title: texts.plug,
      order: row => Number(row.isPluggedIn),
      cell: row => {
        const Symbol = row.isPluggedIn ? IconPlug : IconPlugX
        return (
          <Text span fz="sm" c={row.isPluggedIn ? undefined : 'red.8'} style={{ display: 'inline-flex', gap: 4 }}>
            <Symbol size={18} stroke={1.6} aria-hidden />
            {row.isPluggedIn ? texts.pluggedIn : texts.unplugged}
          </Text>
        )
      },
    },
    {
      id: 'car',
      title: texts.car,
      order: row => row.carName,
      cell: row =>
        row.carId === undefined ? (
          <Text span fz="sm" c="dimmed">
            {texts.noCar}
          </Text>
        ) : (
          <PageLink to="/cars/$vehicleId" params={{ vehicleId: row.carId }} fz="sm">
            {row.carName}
          </PageLink>
        ),
    },
    { id: 'firmware', title: texts.firmware, cell: row => row.firmware, order: row => row.firmware || undefined },
    { id: 'hardware', title: texts.hardware, cell: row => row.hardware, order: row => row.hardware || undefined },
    {
      id: 'heard',
      title: texts.heard,
      isNumeric: true,
      order: row => row.heardMs,
      cell: row => (row.heardMs === undefined ? texts.never : formatAge(row.heardMs, nowMs, language)),
    },
  ]
}
