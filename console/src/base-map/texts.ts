import { defineTexts } from '../language/language.ts'

export const baseMapTexts = defineTexts(
  {
    styleFailed: 'The base map can not be loaded; the map that Tacho brings along is shown instead.',
    onlyOutlines: 'This map has places, but no streets.',
    howToGetStreets: 'To add them, run on the server:',
    hide: 'Hide this note',
    cannotDraw: 'This browser can not draw the map',
    cannotDrawHint: 'Maps need WebGL. Everything else works without it.',
    notLoaded: 'The map could not be loaded',
    notLoadedHint: 'The service did not answer.',
    reload: 'Reload the page',
    controls: {
      'AttributionControl.ToggleAttribution': 'Where the map comes from',
      'Map.Title': 'Map',
      'NavigationControl.ZoomIn': 'Zoom in',
      'NavigationControl.ZoomOut': 'Zoom out',
      'ScaleControl.Meters': 'm',
      'ScaleControl.Kilometers': 'km',
    },
  },
  {
    styleFailed: 'Die Grundkarte lässt sich nicht laden; stattdessen sehen Sie die Karte, die Tacho mitbringt.',
    onlyOutlines: 'Diese Karte zeigt Orte, aber keine Straßen.',
    howToGetStreets: 'Wie sie dazukommen, zeigt auf dem Server der Befehl',
    hide: 'Hinweis ausblenden',
    cannotDraw: 'Dieser Browser kann die Karte nicht zeichnen',
    cannotDrawHint: 'Karten brauchen WebGL. Alles andere geht auch ohne.',
    notLoaded: 'Die Karte konnte nicht geladen werden',
    notLoadedHint: 'Der Dienst hat nicht geantwortet.',
    reload: 'Seite neu laden',
    controls: {
      'AttributionControl.ToggleAttribution': 'Herkunft der Karte',
      'Map.Title': 'Karte',
      'NavigationControl.ZoomIn': 'Vergrößern',
      'NavigationControl.ZoomOut': 'Verkleinern',
      'ScaleControl.Meters': 'm',
      'ScaleControl.Kilometers': 'km',
    },
  },
)
