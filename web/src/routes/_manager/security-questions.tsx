import { createFileRoute } from "@tanstack/react-router";
import { SecurityQuestionsPage } from "#/features/auth/security-questions-page";
import { key } from "#/i18n/key";

export const Route = createFileRoute("/_manager/security-questions")({
  staticData: { title: key("shell.titles.securityQuestions") },
  // The page comes with its questions; it reports a failure itself.
  loader: async ({ context }) => {
    const { securityQuestionListQuery } = await import("#/features/auth/calls");
    await context.queryClient.prefetchQuery(securityQuestionListQuery);
  },
  component: SecurityQuestionsPage,
});
