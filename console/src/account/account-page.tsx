import {
  Alert,
  Button,
  Card,
  Group,
  NativeSelect,
  PasswordInput,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Title,
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useSelector } from '@tanstack/react-store'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { ask } from '../api/request.ts'
import {
  changeProfile,
  LANGUAGES,
  languageName,
  profile,
  START_PAGES,
  setLanguage,
  type Texts,
  timeZoneHere,
  useLanguage,
  useTexts,
} from '../language/language.ts'
import { ErrorAlert, PageTitle } from '../page/page.tsx'
import { sessionQuery } from '../session/use-session.ts'
import { showToast } from '../shell/toast.tsx'

const EMPTY = { currentPassword: '', newPassword: '', repeated: '' }

/** More are found by typing. */
const SHOWN_ZONES = 100

/** The logged-in user, how they read the console, and the change of the password. */
export function AccountPage() {
  const texts = useTexts('account')
  const { data: session } = useQuery(sessionQuery)
  const [given, setGiven] = useState(EMPTY)
  const { currentPassword, newPassword, repeated } = given
  const change = useMutation({
    mutationFn: () => ask('POST /auth/password', { body: { currentPassword, newPassword } }),
    onSuccess: () => {
      setGiven(EMPTY)
      showToast({ message: texts.changed })
    },
  })
  const isDifferent = repeated !== '' && repeated !== newPassword
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isDifferent) change.mutate()
  }
  const field = (name: keyof typeof EMPTY) => ({
    label: texts[name],
    required: true,
    value: given[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      setGiven({ ...given, [name]: event.currentTarget.value }),
  })
  const reason = change.error ? passwordReason(change.error, texts) : undefined
  return (
    <Stack p="md" gap="sm" maw={560}>
      <PageTitle name={texts.title} />
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      {session && <Text c="dimmed">{`${session.name} · ${session.account.name}`}</Text>}
      <ProfileCard />
      <Card withBorder component="section" aria-labelledby="password-title">
        <form onSubmit={submit}>
          {/* So that password managers know whose password it is. */}
          <input type="text" autoComplete="username" value={session?.name ?? ''} readOnly hidden />
          <Stack>
            <Title order={2} fz="h4" id="password-title">
              {texts.passwordTitle}
            </Title>
            <Text c="dimmed" fz="sm">
              {texts.passwordHint}
            </Text>
            <PasswordInput {...field('currentPassword')} autoComplete="current-password" />
            <PasswordInput {...field('newPassword')} autoComplete="new-password" />
            <PasswordInput
              {...field('repeated')}
              autoComplete="new-password"
              error={isDifferent ? texts.different : undefined}
            />
            {reason === undefined ? (
              <ErrorAlert error={change.error} />
            ) : (
              <Alert color="red" role="alert">
                {reason}
              </Alert>
            )}
            <Group justify="flex-end">
              <Button type="submit" loading={change.isPending}>
                {texts.change}
              </Button>
            </Group>
          </Stack>
        </form>
      </Card>
    </Stack>
  )
}

/** Why the password was not changed, in the person's language; undefined where only the service knows. */
export function passwordReason(error: Error, texts: Texts<'account'>): string | undefined {
  if (!(error instanceof ApiError)) return undefined
  if (error.status === 429) return texts.tooMany(error.retryAfterS ?? 60)
  if (error.status !== 400) return undefined
  if (error.message.startsWith('currentPassword')) return texts.wrong
  if (/12 characters/.test(error.message)) return texts.tooShort
  if (/too easy/.test(error.message)) return texts.tooEasy
  return /e-mail/.test(error.message) ? texts.hasEmail : undefined
}

/** How the person reads the console; it applies at once. */
function ProfileCard() {
  const texts = useTexts('account')
  const language = useLanguage()
  const { timeZone, distance, temperature, startPage, hasShortcuts } = useSelector(profile)
  return (
    <Card withBorder component="section" aria-labelledby="profile-title">
      <Stack>
        <Title order={2} fz="h4" id="profile-title">
          {texts.profileTitle}
        </Title>
        <Text c="dimmed" fz="sm">
          {texts.profileHint}
        </Text>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NativeSelect
            label={texts.language}
            value={language}
            onChange={event => void setLanguage(event.currentTarget.value)}
            data={LANGUAGES.map(value => ({ value, label: languageName(value) }))}
          />
          <Select
            id="profile-time-zone"
            label={texts.timeZone}
            placeholder={texts.asBrowser(timeZoneHere())}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': texts.clear }}
            limit={SHOWN_ZONES}
            value={timeZone ?? null}
            onChange={chosen => changeProfile({ timeZone: chosen ?? undefined })}
            data={Intl.supportedValuesOf('timeZone')}
          />
          <NativeSelect
            id="profile-distance"
            label={texts.distance}
            value={distance}
            onChange={event => changeProfile({ distance: event.currentTarget.value === 'mi' ? 'mi' : 'km' })}
            data={[
              { value: 'km', label: texts.kilometres },
              { value: 'mi', label: texts.miles },
            ]}
          />
          <NativeSelect
            id="profile-temperature"
            label={texts.temperature}
            value={temperature}
            onChange={event => changeProfile({ temperature: event.currentTarget.value === '°F' ? '°F' : '°C' })}
            data={[
              { value: '°C', label: 'Celsius' },
              { value: '°F', label: 'Fahrenheit' },
            ]}
          />
          <NativeSelect
            label={texts.startPage}
            value={startPage}
            onChange={event => changeProfile({ startPage: START_PAGES[event.currentTarget.selectedIndex] ?? 'today' })}
            data={START_PAGES.map(value => ({ value, label: texts.startPages[value] }))}
          />
        </SimpleGrid>
        <Switch
          label={texts.shortcuts}
          checked={hasShortcuts}
          onChange={event => changeProfile({ hasShortcuts: event.currentTarget.checked })}
        />
      </Stack>
    </Card>
  )
}
