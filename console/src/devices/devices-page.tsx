import { Badge, Button, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import { IconCpu, IconPlug, IconPlugX, IconPlus, IconQuestionMark, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { dayOf } from '../calendar/days.ts'
import { HiddenCars } from '../car/hidden-cars.tsx'
import { ExportMenu } from '../export/export-menu.tsx'
import { fileNameOf } from '../export/files.ts'
import { ownNames } from '../fleet/car.ts'
import { type Contact, isConnected, known, learned, type Plug } from '../fleet/dongle-state.ts'
import { heardText } from '../fleet/state-marks.tsx'
import { devicesQuery, vehiclesQuery } from '../fleet/use-cars.ts'
import { formatNumber, type Texts, textsIn, timeZoneHere, useLanguage, useNow, useTexts } from '../language/language.ts'
import { CarLink, EmptyState, RequestState } from '../page/page.tsx'
import { useIsAllowed } from '../session/use-session.ts'
import { type Column, textColumn } from '../table/column.ts'
import { DataTable } from '../table/data-table.tsx'
import { SearchField, useSearchText } from '../table/filters.tsx'
import { chosenDevices, type DeviceRow, deviceRowOf, eventsByDevice } from './device-row.ts'
import { DEVICE_FILTERS, type DevicesSearch } from './devices-search.ts'

/** Every dongle of the account: is it online and plugged in, in which car, with what firmware. */
export function DevicesPage() {
  const texts = useTexts('device')
  const language = useLanguage()
  const nowMs = useNow()
  const search = useSearch({ from: '/devices' })
  const navigate = useNavigate({ from: '/devices' })
  const show = (changed: DevicesSearch) =>
    void navigate({ search: before => ({ ...before, ...changed }), replace: true })
  const { field, wanted } = useSearchText()
  const { rows, error, refetch } = useDeviceRows(nowMs)
  const { filter } = search
  const chosen = useMemo(
    () => rows && chosenDevices(rows, { filter, search: wanted }, textsIn('carState', language)),
    [rows, filter, wanted, language],
  )
  const columns = useMemo(() => deviceColumns(texts, nowMs), [texts, nowMs])
  if (!rows || !chosen) return <RequestState error={error} refetch={refetch} />
  return (
    <Stack p="md" gap="sm">
      <Group align="baseline">
        <Title order={1} fz="h2">
          {texts.title}
        </Title>
        <Text c="dimmed" role="status">
          {texts.count(formatNumber(chosen.length), formatNumber(rows.length))}
        </Text>
        <Group ml="auto" gap="sm">
          <ExportMenu
            file="devices"
            disabled={chosen.length === 0}
            source={() => ({
              fileName: fileNameOf([texts.csvName, dayOf(nowMs)]),
              titles: [...columns.slice(0, -1).map(({ title }) => title), `${texts.heard} (${timeZoneHere()})`],
              pages: () => [chosen.map(deviceCells)],
            })}
          />
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            renderRoot={props => <Link {...props} to="/devices/add" />}
          >
            {texts.add}
          </Button>
        </Group>
      </Group>
      <Group>
        <SearchField label={texts.search} {...field} w={{ base: '100%', xs: 280 }} />
        <SegmentedControl
          aria-label={texts.show}
          value={filter ?? 'all'}
          onChange={value => show({ filter: value === 'all' ? undefined : value })}
          data={DEVICE_FILTERS.map(value => ({ value, label: texts[value] }))}
        />
      </Group>
      {rows.length === 0 ? (
        <EmptyState icon={IconCpu} title={texts.none} hint={texts.noneHint} />
      ) : chosen.length === 0 ? (
        <EmptyState icon={IconSearch} title={texts.noMatch} hint={texts.noMatchHint} />
      ) : (
        <DataTable
          label={texts.title}
          rows={chosen}
          columns={columns}
          keyOf={row => row.id}
          firstOrdering={{ columnId: 'imei', isDescending: false }}
          sort={search.sort}
          onSort={sort => show({ sort })}
        />
      )}
      <HiddenCars />
    </Stack>
  )
}

/** Dongles with their cars, as far as the person may see those. */
function useDeviceRows(nowMs: number) {
  const mayReadVehicles = useIsAllowed('vehicles')
  const { data: devices, error, refetch } = useQuery(devicesQuery)
  const { data: vehicles } = useQuery({ ...vehiclesQuery, enabled: mayReadVehicles === true })
  const events = useMemo(() => eventsByDevice(vehicles?.values() ?? []), [vehicles])
  const nameOf = useMemo(() => ownNames(vehicles?.values() ?? []), [vehicles])
  const rows = useMemo((): readonly DeviceRow[] | undefined => {
    const facts = { vehicles: learned(mayReadVehicles, vehicles), events, nameOf, nowMs }
    return devices && [...devices.values()].map(device => deviceRowOf({ device, ...facts }))
  }, [devices, vehicles, mayReadVehicles, events, nameOf, nowMs])
  return { rows, error, refetch }
}

/** What the list of dongles says of each. */
function deviceColumns(texts: Texts<'device'>, nowMs: number): readonly Column<DeviceRow>[] {
  const states = textsIn('carState')
  return [
    textColumn('imei', texts.imei, row => String(row.id)),
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
        if (value) return <CarLink vehicleId={value.id} name={value.name} />
        return (
          <Text span fz="sm" c="dimmed">
            {car.is === 'known' ? texts.noCar : car.is === 'forbidden' ? states.notVisible : states.awaited}
          </Text>
        )
      },
    },
    textColumn('firmware', texts.firmware, row => row.firmware),
    textColumn('hardware', texts.hardware, row => row.hardware),
    {
      id: 'heard',
      title: texts.heard,
      isNumeric: true,
      order: ({ state: { contact } }) =>
        isConnected(contact) ? nowMs : 'heardMs' in contact ? contact.heardMs : undefined,
      cell: ({ state: { contact } }) => heardText(contact, nowMs),
    },
  ]
}

/** In the order of the columns. */
function deviceCells({ id, state: { contact, plug }, car, firmware, hardware }: DeviceRow) {
  const { contacts, plugs } = textsIn('carState')
  const heardMs = 'heardMs' in contact ? contact.heardMs : undefined
  const heard = heardMs === undefined ? undefined : new Date(heardMs)
  return [String(id), contacts[contact.kind], plugs[plug], known(car)?.name, firmware, hardware, heard]
}

/** In the order in which they are sorted. */
const CONTACTS: readonly Contact['kind'][] = ['never', 'unknown', 'silent', 'offline', 'asleep', 'catchingUp', 'online']
const PLUGS: readonly Plug[] = ['out', 'unknown', 'in']

const PLUG_INKS: Readonly<Record<Plug, string | undefined>> = {
  in: undefined,
  out: 'light-dark(var(--mantine-color-red-8), var(--mantine-color-red-4))',
  unknown: 'dimmed',
}
