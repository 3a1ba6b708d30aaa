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
  Settings,
  Tractor,
  Users,
  type LucideIcon,
} from "lucide-react";
import { key, type TextKey } from "#/i18n/key";

interface GuideEntry {
  /** Stands in the address after #, so it stays once published. */
  id: string;
  title: TextKey;
  icon: LucideIcon;
}

/** The guide in its order; the contents list is made from it. */
export const guide = {
  start: { id: "start", title: key("instructions.start.title"), icon: Flag },
  equipment: { id: "equipment", title: key("instructions.equipment.title"), icon: Tractor },
  meters: { id: "meters", title: key("instructions.meters.title"), icon: Gauge },
  service: { id: "service", title: key("instructions.service.title"), icon: CalendarClock },
  operators: { id: "operators", title: key("instructions.operators.title"), icon: Users },
  updates: { id: "updates", title: key("instructions.updates.title"), icon: ClipboardCheck },
  fuel: { id: "fuel", title: key("instructions.fuel.title"), icon: Fuel },
  history: { id: "history", title: key("instructions.history.title"), icon: History },
  exports: { id: "exports", title: key("instructions.exports.title"), icon: Download },
  retire: { id: "retire", title: key("instructions.retire.title"), icon: Archive },
  settings: { id: "settings", title: key("instructions.settings.title"), icon: Settings },
  plans: { id: "plans", title: key("instructions.plans.title"), icon: CreditCard },
} as const satisfies Record<string, GuideEntry>;

export const guideEntries: readonly GuideEntry[] = Object.values(guide);
