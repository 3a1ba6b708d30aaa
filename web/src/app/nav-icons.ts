import {
  Archive,
  Bell,
  BookOpen,
  Building2,
  CalendarClock,
  CirclePlus,
  CreditCard,
  Fuel,
  Inbox,
  KeyRound,
  LayoutDashboard,
  LifeBuoy,
  ScrollText,
  Settings,
  Tractor,
  UserRound,
  Users,
  type LucideIcon,
} from "lucide-react";
import type { FileRouteTypes } from "#/routeTree.gen";

/** Loaded with the menus that show them. */
export const navIcons = {
  "/": LayoutDashboard,
  "/review": Inbox,
  "/equipment-list": Tractor,
  "/service": CalendarClock,
  "/fuel": Fuel,
  "/add-equipment": CirclePlus,
  "/employees": Users,
  "/retired-equipment": Archive,
  "/subscription": CreditCard,
  "/instructions": BookOpen,
  "/contact": LifeBuoy,
  "/profile": UserRound,
  "/settings": Settings,
  "/audit-log": ScrollText,
  "/admin-accounts": Building2,
  "/password": KeyRound,
  "/notifications": Bell,
} as const satisfies Partial<Record<FileRouteTypes["to"], LucideIcon>>;

export type NavTarget = keyof typeof navIcons;
