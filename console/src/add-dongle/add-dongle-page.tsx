import {
  Alert,
  Button,
  Card,
  Code,
  CopyButton,
  Group,
  Loader,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconCircleCheck } from '@tabler/icons-react'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, type ReactNode, useState } from 'react'
import { imeiDigits, imeiFault } from '../administration/imei-fault.ts'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import { serviceSettings } from '../api/service-settings.ts'
import type { Vehicle } from '../api/types.ts'
import { useChangeSettings } from '../car/vehicle-queries.ts'
import { dongleStateOf, known, learned } from '../fleet/dongle-state.ts'
import { devicesQuery, vehiclesQuery } from '../fleet/use-cars.ts'
import { useNow, useTexts } from '../language/language.ts'
import { ErrorAlert, PageLink, PageTitle } from '../page/page.tsx'
import { useIsAllowed, useMay } from '../session/use-session.ts'
import { isLoopback, needsKey, setupOf, WAYS, type Way } from './setup.ts'

/** They change only with a restart of the service. */
const SETTINGS = queryOptions({
  queryKey: ['service-settings'],
  queryFn: serviceSettings,
  staleTime: Number.POSITIVE_INFINITY,
})

/** From a dongle in its box to a car with a name: what to type where, and whether it has reported. */
export function AddDonglePage() {
  const texts = useTexts('addDongle')
  const { imeiFaults } = useTexts('administration')
  const mayAdminister = useMay('administration')
  const { data: devices } = useQuery(devicesQuery)
  const { data: settings } = useQuery(SETTINGS)
  const [way, setWay] = useState<Way>('teltonika')
  const [typed, setTyped] = useState('')
  const [asked, setAsked] = useState<string>()
  const [awaited, setAwaited] = useState<number>()
  const fault = imeiFault(typed)
  const imei = fault === 'number' ? '' : imeiDigits(typed)
  const register = useMutation({
    mutationFn: async (deviceId: number) => {
      // One that reported already, or was registered before, only has to be waited for.
      if (mayAdminister && !devices?.has(deviceId)) {
        await ask('POST /admin/devices', { body: { deviceId, anyCheckDigit: fault === 'checkDigit' } })
      }
      return deviceId
    },
    onSuccess: deviceId => {
      setAwaited(deviceId)
      void queryClient.invalidateQueries({ queryKey: devicesQuery.queryKey })
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!fault || (fault === 'checkDigit' && asked === typed)) register.mutate(Number(imei))
    else setAsked(typed)
  }
  const lines = setupOf(way, window.location.origin, imei, settings?.teltonikaPort)
  return (
    <Stack p="md" gap="md" maw={760}>
      <PageTitle name={texts.title} />
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <Card withBorder component="section" aria-label={texts.whichTitle}>
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <Title order={2} fz="h4">
              {texts.whichTitle}
            </Title>
            <SegmentedControl
              aria-label={texts.way}
              value={way}
              onChange={setWay}
              data={WAYS.map(value => ({ value, label: texts.ways[value].name }))}
              // One row on a phone, too, which scrolls.
              style={{ overflowX: 'auto', scrollbarWidth: 'none' }}
              styles={{ control: { flex: '1 0 auto' } }}
            />
            <Group align="end" gap="sm">
              <TextInput
                label={texts.imei}
                description={texts.imeiHint}
                inputMode="numeric"
                autoComplete="off"
                value={typed}
                onChange={event => setTyped(event.currentTarget.value)}
                error={asked === typed && fault ? imeiFaults[fault] : undefined}
                flex={1}
                miw={240}
              />
              <Button type="submit" loading={register.isPending}>
                {mayAdminister ? texts.register : texts.wait}
              </Button>
            </Group>
            <ErrorAlert error={register.error} />
          </Stack>
        </form>
      </Card>
      <Card withBorder component="section" aria-label={texts.setUpTitle}>
        <Stack gap="sm">
          <Title order={2} fz="h4">
            {texts.setUpTitle}
          </Title>
          {lines.length === 0 ? (
            <Alert color="yellow">{texts.teltonikaOff}</Alert>
          ) : (
            <>
              <Text fz="sm">{texts.ways[way].where}</Text>
              <SetupLines lines={lines} />
            </>
          )}
          {needsKey(way) && (
            <Text fz="sm">
              {texts.keyHint}{' '}
              {mayAdminister && (
                <PageLink to="/administration" search={{ tab: 'keys' }} fz="sm">
                  {texts.makeKey}
                </PageLink>
              )}
            </Text>
          )}
          {lines.length > 0 && isLoopback(window.location.hostname) && <Alert color="yellow">{texts.loopback}</Alert>}
        </Stack>
      </Card>
      <Card withBorder component="section" aria-label={texts.waitTitle}>
        <Stack gap="sm" role="status">
          <Title order={2} fz="h4">
            {texts.waitTitle}
          </Title>
          {awaited === undefined ? (
            <Text c="dimmed">{texts.waitFirst}</Text>
          ) : (
            <FirstContact key={awaited} imei={awaited} waiting={<Loader size="sm" aria-hidden />} />
          )}
        </Stack>
      </Card>
    </Stack>
  )
}

/** What is typed into the tool of the vendor, each to be copied. */
function SetupLines({ lines }: { readonly lines: ReturnType<typeof setupOf> }) {
  const texts = useTexts('addDongle')
  return (
    <Stack component="dl" gap="xs" m={0}>
      {lines.map(({ name, value }) => (
        <Group key={name} gap="sm" align="center">
          <Text component="dt" fz="sm" c="dimmed" w={150}>
            {texts.names[name]}
          </Text>
          <Group component="dd" m={0} gap="xs" flex={1} miw={200} wrap="nowrap" align="center">
            <Code block fz="sm" flex={1} style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
              {value}
            </Code>
            <CopyButton value={value}>
              {({ copied, copy }) => (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`${copied ? texts.copied : texts.copy}: ${texts.names[name]}`}
                  onClick={copy}
                >
                  {copied ? texts.copied : texts.copy}
                </Button>
              )}
            </CopyButton>
          </Group>
        </Group>
      ))}
    </Stack>
  )
}

interface FirstContactProps {
  readonly imei: number
  /** Moves while nothing has come yet. */
  readonly waiting: ReactNode
}

/** Whether a dongle has reported, live; as soon as it has, its car can be named. */
function FirstContact({ imei, waiting }: FirstContactProps) {
  const texts = useTexts('addDongle')
  const mayAdminister = useMay('administration')
  const mayReadVehicles = useIsAllowed('vehicles')
  const nowMs = useNow()
  const { data: devices } = useQuery(devicesQuery)
  const { data: vehicles } = useQuery({ ...vehiclesQuery, enabled: mayReadVehicles === true })
  const device = devices?.get(imei)
  const vehicle = device && vehicles?.get(device.vehicleId)
  const events = learned(mayReadVehicles, vehicles && (vehicle?.lastEvents ?? []))
  const { contact } = dongleStateOf({ device: learned(true, device), events, isInTrip: false, nowMs })
  const hasReported = contact.kind !== 'never' && contact.kind !== 'unknown' && contact.kind !== 'offline'
  if (!hasReported)
    return (
      <Stack gap="xs">
        <Group gap="sm">
          {waiting}
          <Text>{texts.waiting(String(imei))}</Text>
        </Group>
        <Text fz="sm" c="dimmed">
          {`${texts.waitingHint} ${mayAdminister ? texts.refusedHint : ''}`}
        </Text>
      </Stack>
    )
  const hasValues = (known(events)?.length ?? 0) > 0
  return (
    <Stack gap="sm">
      <Alert color="teal" icon={<IconCircleCheck size={20} />}>
        {(hasValues ? texts.here : texts.hereWithoutValues)(String(imei))}
      </Alert>
      {vehicle ? <NameCar vehicle={vehicle} /> : <Text fz="sm">{texts.nameLater}</Text>}
    </Stack>
  )
}

function NameCar({ vehicle }: { readonly vehicle: Vehicle }) {
  const texts = useTexts('addDongle')
  const mayChange = useMay('settings')
  const [plate, setPlate] = useState(vehicle.licensePlate)
  const change = useChangeSettings(vehicle.id)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    change.mutate({ numberPlate: plate.trim() })
  }
  return (
    <Stack gap="sm">
      {mayChange && (
        <form onSubmit={submit}>
          <Stack gap="sm">
            <Title order={3} fz="h5">
              {texts.nameTitle}
            </Title>
            <Group align="end" gap="sm">
              <TextInput
                label={texts.plate}
                value={plate}
                maxLength={50}
                onChange={event => setPlate(event.currentTarget.value)}
              />
              <Button type="submit" variant="default" loading={change.isPending}>
                {texts.save}
              </Button>
            </Group>
            <ErrorAlert error={change.error} />
            {change.isSuccess && <Text fz="sm">{texts.saved}</Text>}
          </Stack>
        </form>
      )}
      <PageLink to="/cars/$vehicleId" params={{ vehicleId: vehicle.id }}>
        {texts.openCar}
      </PageLink>
    </Stack>
  )
}
