import {
  Archive,
  CalendarClock,
  ClipboardCheck,
  CreditCard,
  Download,
  Flag,
  Fuel,
  Gauge,
  History,
  KeyRound,
  LogIn,
  ScrollText,
  Settings,
  ShieldCheck,
  Smartphone,
  Tablet,
  Tractor,
  Users,
  type LucideIcon,
} from "lucide-react";
import { key, type TextKey } from "#/i18n/key";

export interface GuideEntry {
  /** The URL fragment; must not change once published. */
  id: string;
  title: TextKey;
  icon: LucideIcon;
}

export const guide = {
  start: { id: "start", title: key("instructions.start.title"), icon: Flag },
  signIn: { id: "sign-in", title: key("instructions.signIn.title"), icon: LogIn },
  install: { id: "install", title: key("instructions.install.title"), icon: Smartphone },
  equipment: { id: "equipment", title: key("instructions.equipment.title"), icon: Tractor },
  meters: { id: "meters", title: key("instructions.meters.title"), icon: Gauge },
  service: { id: "service", title: key("instructions.service.title"), icon: CalendarClock },
  operators: { id: "operators", title: key("instructions.operators.title"), icon: Users },
  field: { id: "field", title: key("instructions.field.title"), icon: Tablet },
  updates: { id: "updates", title: key("instructions.updates.title"), icon: ClipboardCheck },
  people: { id: "people", title: key("instructions.people.title"), icon: ShieldCheck },
  fuel: { id: "fuel", title: key("instructions.fuel.title"), icon: Fuel },
  history: { id: "history", title: key("instructions.history.title"), icon: History },
  exports: { id: "exports", title: key("instructions.exports.title"), icon: Download },
  retire: { id: "retire", title: key("instructions.retire.title"), icon: Archive },
  password: { id: "password", title: key("instructions.password.title"), icon: KeyRound },
  audit: { id: "audit-log", title: key("instructions.audit.title"), icon: ScrollText },
  settings: { id: "settings", title: key("instructions.settings.title"), icon: Settings },
  plans: { id: "plans", title: key("instructions.plans.title"), icon: CreditCard },
} as const satisfies Record<string, GuideEntry>;

export interface GuideGroup {
  title: TextKey;
  entries: readonly GuideEntry[];
}

/** The guide in order; also used for the contents. */
export const guideGroups: readonly GuideGroup[] = [
  { title: key("instructions.groups.begin"), entries: [guide.start, guide.signIn, guide.install] },
  {
    title: key("instructions.groups.fleet"),
    entries: [guide.equipment, guide.meters, guide.service],
  },
  {
    title: key("instructions.groups.crew"),
    entries: [guide.operators, guide.field, guide.updates, guide.people],
  },
  {
    title: key("instructions.groups.records"),
    entries: [guide.fuel, guide.history, guide.exports, guide.retire],
  },
  {
    title: key("instructions.groups.account"),
    entries: [guide.password, guide.audit, guide.settings, guide.plans],
  },
];

export const guideEntries: readonly GuideEntry[] = guideGroups.flatMap((group) => group.entries);
