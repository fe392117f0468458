// Package check reads the compose file with the library of Docker Compose and the Kubernetes manifests with that of Kustomize.
package check

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

func load(t *testing.T, env ...string) *types.Project {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{"../../docker-compose.yml"}, cli.WithName("check"), cli.WithEnv(env))
	if err != nil {
		t.Fatal(err)
	}
	project, err := options.LoadProject(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return project
}

func TestComposeFileIsValidForComposeV2(t *testing.T) {
	project := load(t)
	rules := project.Services["rules"]
	if len(project.Services) != 4 || rules.Deploy == nil || rules.Deploy.Replicas == nil || *rules.Deploy.Replicas != 2 {
		t.Errorf("services %v, rules %+v", project.ServiceNames(), rules.Deploy)
	}
	for name, dependency := range map[string]string{"nakama": "rules", "rules": "postgres"} {
		if got := project.Services[name].DependsOn[dependency].Condition; got != types.ServiceConditionHealthy {
			t.Errorf("%s depends on %s with condition %q", name, dependency, got)
		}
	}
}

func TestServicesStartAgainAndNakamaHasTimeToSaveMatches(t *testing.T) {
	const grace = 10 * time.Second // the default of NAKAMA_GRACE_SEC in nakama/start
	services := load(t).Services
	for name, service := range services {
		if service.Restart != types.RestartPolicyUnlessStopped {
			t.Errorf("%s has the restart policy %q", name, service.Restart)
		}
	}
	nakama := services["nakama"]
	if nakama.StopGracePeriod == nil || time.Duration(*nakama.StopGracePeriod) <= grace {
		t.Errorf("Nakama is killed after %v", nakama.StopGracePeriod)
	}
	if name := nakama.Environment["NAKAMA_NAME"]; name == nil || *name == "" {
		t.Error("the node name of Nakama is not fixed")
	}
}

func TestPublishedPortsUseTheConfiguredAddress(t *testing.T) {
	for address, env := range map[string][]string{"127.0.0.1": nil, "0.0.0.0": {"SET_PUBLISH=0.0.0.0"}} {
		for name, service := range load(t, env...).Services {
			if want := map[string]int{"nakama": 3, "page": 1}[name]; len(service.Ports) != want {
				t.Errorf("%s publishes %v", name, service.Ports)
			}
			for _, port := range service.Ports {
				if port.HostIP != address {
					t.Errorf("%s publishes on %q, want %q", name, port.HostIP, address)
				}
			}
		}
	}
}

func TestSecretsWithSpecialCharactersArePassedUnchanged(t *testing.T) {
	secret := `p/a#s%s?w@o:r d'"$x\`
	services := load(t, "POSTGRES_PASSWORD="+secret, "NAKAMA_SESSION_KEY="+secret).Services
	for service, name := range map[string]string{"postgres": "POSTGRES_PASSWORD", "nakama": "NAKAMA_DATABASE_PASSWORD"} {
		if got := services[service].Environment[name]; got == nil || *got != secret {
			t.Errorf("%s: %s differs from the setting", service, name)
		}
	}
	if got := services["nakama"].Environment["NAKAMA_SESSION_KEY"]; got == nil || *got != secret {
		t.Error("NAKAMA_SESSION_KEY differs from the setting")
	}
}

func TestBothSidesReadTheTokenFromOneFile(t *testing.T) {
	other := filepath.Join(t.TempDir(), "token")
	development, err := filepath.Abs("../development-token")
	if err != nil {
		t.Fatal(err)
	}
	for file, env := range map[string][]string{development: nil, other: {"SET_TOKEN_FILE=" + other}} {
		project := load(t, env...)
		if got := project.Secrets["token"].File; got != file {
			t.Errorf("the token is in %q, want %q", got, file)
		}
		for service, name := range map[string]string{"rules": "SET_MATCH_TOKEN_FILE", "nakama": "SET_RULES_TOKEN_FILE"} {
			found := project.Services[service]
			if path := found.Environment[name]; path == nil || *path != "/run/secrets/token" || len(found.Secrets) != 1 {
				t.Errorf("%s has secrets %+v and reads %v", service, found.Secrets, path)
			}
		}
	}
	if content, err := os.ReadFile(development); err != nil || string(content) != "development\n" {
		t.Errorf("development token: %q, %v", content, err)
	}
}

func TestReadOnlyContainersHaveATemporaryFolder(t *testing.T) {
	services := load(t).Services
	for _, name := range []string{"rules", "nakama"} {
		if service := services[name]; !service.ReadOnly || !slices.Contains(service.Tmpfs, "/tmp") {
			t.Errorf("%s: read-only %v, tmpfs %v", name, service.ReadOnly, service.Tmpfs)
		}
	}
}

func TestDevelopmentIsTheDefaultAndCanBeDisabled(t *testing.T) {
	for want, env := range map[string][]string{"1": nil, "0": {"NAKAMA_DEVELOPMENT=0"}} {
		if got := load(t, env...).Services["nakama"].Environment["NAKAMA_DEVELOPMENT"]; got == nil || *got != want {
			t.Errorf("NAKAMA_DEVELOPMENT is %v, want %s", got, want)
		}
	}
}
