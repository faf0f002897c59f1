// The controller of MPIJobs as its operator runs it, without the operator's server for health checks: that one takes
// port 8080 of every address, and can be given no other (kubeflow/mpi-operator@v0.8.2 cmd/mpi-operator/app/server.go).
package main

import (
	"context"
	"flag"
	"log"

	"github.com/kubeflow/mpi-operator/cmd/mpi-operator/app/options"
	"github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned"
	"github.com/kubeflow/mpi-operator/pkg/client/clientset/versioned/scheme"
	kubeflow "github.com/kubeflow/mpi-operator/pkg/client/informers/externalversions"
	"github.com/kubeflow/mpi-operator/pkg/controller"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	core "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "of an admin")
	flag.Parse()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err)
	check(scheme.AddToScheme(core.Scheme))
	client, jobs := kubernetes.NewForConfigOrDie(config), versioned.NewForConfigOrDie(config)
	ours, theirs := informers.NewSharedInformerFactory(client, 0), kubeflow.NewSharedInformerFactory(jobs, 0)
	ctx, limits := context.Background(), &options.ServerOption{ControllerRateLimit: 10, ControllerBurst: 100}
	made, err := controller.NewMPIJobController(
		ctx, client, jobs, nil, nil,
		ours.Core().V1().ConfigMaps(), ours.Core().V1().Secrets(), ours.Core().V1().Services(),
		ours.Batch().V1().Jobs(), ours.Core().V1().Pods(), ours.Scheduling().V1().PriorityClasses(),
		theirs.Kubeflow().V2beta1().MPIJobs(), limits,
	)
	check(err)
	ours.Start(ctx.Done())
	theirs.Start(ctx.Done())
	check(made.Run(2, ctx.Done()))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
