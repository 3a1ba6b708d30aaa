import { createFileRoute, redirect } from "@tanstack/react-router";
import { LogoutButton } from "#/app/logout-button";
import { SetUpSecondFactorPage } from "#/features/profile/second-factor/set-up-page";
import { key } from "#/i18n/key";

/** The page for users who must set up a second factor; others set it up in the profile. */
export const Route = createFileRoute("/_manager/second-factor")({
  beforeLoad: ({ context, cause }) => {
    // After the setup the page stays, to show the recovery codes.
    if (context.user?.secondFactorMissing !== true && cause !== "stay") {
      throw redirect({ to: "/profile", replace: true });
    }
  },
  staticData: { title: key("shell.titles.secondFactor"), bare: true },
  component: () => <SetUpSecondFactorPage logout={<LogoutButton always />} />,
});
