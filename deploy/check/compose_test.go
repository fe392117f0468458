// Package check reads the compose file with the library of Docker Compose and the Kubernetes manifests with that of Kustomize.
package check

import (
	"context"
	"testing"

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
