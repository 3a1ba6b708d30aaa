import { createFileRoute } from "@tanstack/react-router";
import { StaffEnrolmentPage } from "#/features/auth/staff-enrolment-page";
import { loadTexts } from "#/i18n";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_guest/staff-enrolment")({
  staticData: { title: key("shell.titles.staffEnrolment") },
  loader: () => loadTexts("security"),
  component: StaffEnrolmentPage,
});
