import {
  Alert,
  Button,
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
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useImei } from '../administration/imei.ts'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import { serviceSettings } from '../api/service-settings.ts'
import type { Vehicle } from '../api/types.ts'
import { useChangeSettings } from '../car/vehicle-queries.ts'
import { FormCard } from '../dialog/dialog.tsx'
import { dongleStateOf, known, learned } from '../fleet/dongle-state.ts'
import { devicesQuery, vehiclesQuery } from '../fleet/use-cars.ts'
import { useNow, useTexts } from '../language/language.ts'
import { Hint, PageLink, PageTitle, Part } from '../page/page.tsx'
import { useIsAllowed, useMay } from '../session/use-session.ts'
import { isLoopback, needsKey, setupOf, WAYS, type Way } from './setup.ts'

/** From a dongle in its box to a car with a name: what to type where, and whether it has reported. */
export function AddDonglePage() {
  const texts = useTexts('addDongle')
  const mayAdminister = useMay('administration')
  const { data: devices } = useQuery(devicesQuery)
  const { data: settings } = useQuery({ queryKey: ['service-settings'], queryFn: serviceSettings })
  const [way, setWay] = useState<Way>('teltonika')
  const { imei, number, field, isGood } = useImei()
  const [awaited, setAwaited] = useState<number>()
  const register = async () => {
    // One that reported already, or was registered before, only has to be waited for.
    if (mayAdminister && !devices?.has(number.deviceId)) await ask('POST /admin/devices', { body: number })
    setAwaited(number.deviceId)
    void queryClient.invalidateQueries({ queryKey: devicesQuery.queryKey })
    return undefined
  }
  const lines = setupOf(way, window.location.origin, imei, settings?.teltonikaPort)
  return (
    <Stack p="md" gap="md" maw={760}>
      <PageTitle name={texts.title} />
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      <FormCard
        title={texts.whichTitle}
        action={mayAdminister ? texts.register : texts.wait}
        isGood={isGood}
        onSave={register}
      >
        <SegmentedControl
          aria-label={texts.way}
          value={way}
          onChange={setWay}
          data={WAYS.map(value => ({ value, label: texts.ways[value].name }))}
          // One row on a phone, too, which scrolls.
          style={{ overflowX: 'auto', scrollbarWidth: 'none' }}
          styles={{ control: { flex: '1 0 auto' } }}
        />
        <TextInput label={texts.imei} description={texts.imeiHint} {...field} />
      </FormCard>
      <Part title={texts.setUpTitle}>
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
      </Part>
      {awaited === undefined ? (
        <Part title={texts.waitTitle}>
          <Text c="dimmed">{texts.waitFirst}</Text>
        </Part>
      ) : (
        <FirstContact imei={awaited} />
      )}
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

/** Whether a dongle has reported, live; as soon as it has, its car can be named. */
function FirstContact({ imei }: { readonly imei: number }) {
  const texts = useTexts('addDongle')
  const [mayAdminister, mayChange] = [useMay('administration'), useMay('settings')]
  const mayReadVehicles = useIsAllowed('vehicles')
  const nowMs = useNow()
  const { data: devices } = useQuery(devicesQuery)
  const { data: vehicles } = useQuery({ ...vehiclesQuery, enabled: mayReadVehicles === true })
  const device = devices?.get(imei)
  const vehicle = device && vehicles?.get(device.vehicleId)
  const events = learned(mayReadVehicles, vehicles && (vehicle?.lastEvents ?? []))
  const { contact } = dongleStateOf({ device: learned(true, device), events, isInTrip: false, nowMs })
  const hasReported = contact.kind !== 'never' && contact.kind !== 'unknown' && contact.kind !== 'offline'
  const hasValues = (known(events)?.length ?? 0) > 0
  return (
    <>
      <Part title={texts.waitTitle}>
        <Stack gap="xs" role="status">
          {hasReported ? (
            <Alert color="teal" icon={<IconCircleCheck size={20} />}>
              {(hasValues ? texts.here : texts.hereWithoutValues)(String(imei))}
            </Alert>
          ) : (
            <>
              <Group gap="sm">
                <Loader size="sm" aria-hidden />
                <Text>{texts.waiting(String(imei))}</Text>
              </Group>
              <Hint>{`${texts.waitingHint} ${mayAdminister ? texts.refusedHint : ''}`}</Hint>
            </>
          )}
          {hasReported && !vehicle && <Text fz="sm">{texts.nameLater}</Text>}
        </Stack>
        {hasReported && vehicle && (
          <PageLink to="/cars/$vehicleId" params={{ vehicleId: vehicle.id }}>
            {texts.openCar}
          </PageLink>
        )}
      </Part>
      {hasReported && vehicle && mayChange && <NameCar key={vehicle.id} vehicle={vehicle} />}
    </>
  )
}

function NameCar({ vehicle }: { readonly vehicle: Vehicle }) {
  const texts = useTexts('addDongle')
  const [plate, setPlate] = useState(vehicle.licensePlate)
  const change = useChangeSettings(vehicle.id)
  const save = async () => {
    await change.mutateAsync({ numberPlate: plate.trim() })
    return texts.saved
  }
  return (
    <FormCard title={texts.nameTitle} onSave={save}>
      <TextInput
        label={texts.plate}
        value={plate}
        maxLength={50}
        onChange={event => setPlate(event.currentTarget.value)}
      />
    </FormCard>
  )
}
