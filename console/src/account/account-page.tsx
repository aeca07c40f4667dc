import { NativeSelect, PasswordInput, Select, SimpleGrid, Stack, Switch, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQuery } from '@tanstack/react-query'
import { useSelector } from '@tanstack/react-store'
import { ApiError } from '../api/api-error.ts'
import { ask } from '../api/request.ts'
import { FormCard } from '../dialog/dialog.tsx'
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
import { Hint, PageTitle, Part } from '../page/page.tsx'
import { sessionQuery } from '../session/use-session.ts'

/** More are found by typing. */
const SHOWN_ZONES = 100

/** The logged-in user, how they read the console, and the change of the password. */
export function AccountPage() {
  const texts = useTexts('account')
  const { data: session } = useQuery(sessionQuery)
  return (
    <Stack p="md" gap="sm" maw={560}>
      <PageTitle name={texts.title} />
      <Title order={1} fz="h2">
        {texts.title}
      </Title>
      {session && <Text c="dimmed">{`${session.name} · ${session.account.name}`}</Text>}
      <ProfileCard />
      <PasswordCard userName={session?.name ?? ''} />
    </Stack>
  )
}

function PasswordCard({ userName }: { readonly userName: string }) {
  const texts = useTexts('account')
  const form = useForm({
    initialValues: { currentPassword: '', newPassword: '', repeated: '' },
    validate: { repeated: (repeated, { newPassword }) => (repeated === newPassword ? null : texts.different) },
    validateInputOnChange: ['repeated'],
  })
  const { currentPassword, newPassword } = form.values
  const field = (name: keyof typeof form.values) => ({
    label: texts[name],
    required: true,
    autoComplete: name === 'currentPassword' ? 'current-password' : 'new-password',
    ...form.getInputProps(name),
  })
  const change = async () => {
    await ask('POST /auth/password', { body: { currentPassword, newPassword } }).catch((error: Error) => {
      const reason = passwordReason(error, texts)
      throw reason === undefined ? error : new Error(reason)
    })
    form.reset()
    return texts.changed
  }
  return (
    <FormCard
      title={texts.passwordTitle}
      hint={texts.passwordHint}
      action={texts.change}
      isGood={() => !form.validate().hasErrors}
      onSave={change}
    >
      {/* So that password managers know whose password it is. */}
      <input type="text" autoComplete="username" value={userName} readOnly hidden />
      <PasswordInput {...field('currentPassword')} />
      <PasswordInput {...field('newPassword')} />
      <PasswordInput {...field('repeated')} />
    </FormCard>
  )
}

/** Why the password was not changed, in the person's language; undefined where only the service knows. */
function passwordReason(error: Error, texts: Texts<'account'>): string | undefined {
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
    <Part title={texts.profileTitle}>
      <Stack>
        <Hint>{texts.profileHint}</Hint>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NativeSelect
            label={texts.language}
            value={language}
            onChange={event => void setLanguage(event.currentTarget.value)}
            data={LANGUAGES.map(value => ({ value, label: languageName(value) }))}
          />
          <Select
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
            label={texts.distance}
            value={distance}
            onChange={event => changeProfile({ distance: event.currentTarget.value === 'mi' ? 'mi' : 'km' })}
            data={[
              { value: 'km', label: texts.kilometres },
              { value: 'mi', label: texts.miles },
            ]}
          />
          <NativeSelect
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
    </Part>
  )
}
