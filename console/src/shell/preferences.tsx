import { ActionIcon, SegmentedControl, useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { IconMoon, IconSun } from '@tabler/icons-react'
import { LANGUAGES, setLanguage, useLanguage, useTexts } from '../language/language.ts'

/** Language, and light or dark: also before the login. */
export function Preferences() {
  const texts = useTexts('shell')
  const language = useLanguage()
  const { setColorScheme } = useMantineColorScheme()
  const isDark = useComputedColorScheme('light') === 'dark'
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={texts.language}
        value={language}
        onChange={chosen => void setLanguage(chosen)}
        data={LANGUAGES.map(value => ({ value, label: value.toUpperCase() }))}
      />
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={texts.lightOrDark}
        onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
      >
        {isDark ? <IconSun size={18} stroke={1.6} /> : <IconMoon size={18} stroke={1.6} />}
      </ActionIcon>
    </>
  )
}
