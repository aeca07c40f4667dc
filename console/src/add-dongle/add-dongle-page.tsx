import { Alert, Button, Card, Group, Loader, SegmentedControl, Stack, Text, TextInput, Title } from '@mantine/core'
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { imeiDigits, imeiFault } from '../administration/imei-fault.ts'
import { queryClient } from '../api/query-client.ts'
import { ask } from '../api/request.ts'
import { serviceSettings } from '../api/service-settings.ts'
import { devicesQuery } from '../fleet/fleet-queries.ts'
import { useTexts } from '../language/language.ts'
import { useMay } from '../session/use-session.ts'
import { PageLink } from '../shell/page-link.tsx'
import { PageTitle } from '../shell/page-title.tsx'
import { ErrorAlert } from '../states/error-alert.tsx'
import { FirstContact } from './first-contact.tsx'
import { isLoopback, needsKey, setupOf, WAYS, type Way } from './setup.ts'
import { SetupLines } from './setup-lines.tsx'

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
